# SPDX-License-Identifier: Apache-2.0
"""How notebooks show an image."""

import base64
import html


def page_of(image):
    """A thumbnail beside what the image is."""
    png = base64.b64encode(image.png(max_size_px=320)).decode()
    rows, columns = image.shape
    facts = {"rows x columns": f"{rows} x {columns}"} | {
        key: value for key, value in image.info.items() if isinstance(value, (str, int, float))
    }
    lines = "".join(
        f"<tr><td>{html.escape(key)}</td><td>{html.escape(f'{value:.9g}' if isinstance(value, float) else str(value))}"
        "</td></tr>"
        for key, value in facts.items()
    )
    page = (
        f'<div style="display:flex;gap:1em"><img src="data:image/png;base64,{png}" alt="{html.escape(image.name)}">'
        f'<details><summary>{html.escape(repr(image)[1:-1])}</summary><table>{lines}</table></details></div>'
    )
    return page.encode("utf-8", "replace").decode()  # names of files may hold what is no UTF-8

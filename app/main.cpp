// SPDX-License-Identifier: Apache-2.0
// cornerturn: simulates, focuses, verifies and pictures synthetic aperture radar scenes.
#include "app/program.h"

int main(int argc, char** argv) { return cornerturn::run_program(argc, argv); }

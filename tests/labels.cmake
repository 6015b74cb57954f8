# SPDX-License-Identifier: Apache-2.0
# Labels of all tests (ctest -L unit -LE slow). ctest reads this, once gtest_discover_tests has told it their names.
#   unit    calls a library in the test's own process      end-to-end  runs the program, as users do
#   gpu     needs a GPU, without one it is skipped          mpi         needs MPI, likewise
#   slow    more than two seconds of processor time         kernels, pipeline, data, gdal, app, mpi, threads: its program
# Each test is unit or end-to-end. gpu follows from names that end in /cuda; slow ones are listed here, as measured, and
# one that is no longer there is an error.
cmake_policy(PUSH)
cmake_policy(SET CMP0057 NEW)  # if(... IN_LIST ...)

set(in_process_of_app Agreement BackprojectionBench CornerTurnBench FocusReports Frames FramesOfAFile IoBenches IoStep
  JsonWords MatrixProductBench PartOptions PointReport Shapes/ProductCheckOf WorkAtOnce)
set(slow
  Algorithms/TrackErrors.OfTwoCentimetresAreFoundInTheImage/compensated
  Algorithms/TrackErrors.OfTwoCentimetresAreFoundInTheImage/compensated_entropy
  Algorithms/TrackErrors.OfTwoCentimetresAreFoundInTheImage/summed
  All/FactorisedColumns.HoldTheErrorThatWasChosenOutToTheEdgesOfTheSwath/Broadside
  All/FactorisedColumns.HoldTheErrorThatWasChosenOutToTheEdgesOfTheSwath/HeldLevel
  All/FactorisedColumns.HoldTheErrorThatWasChosenOutToTheEdgesOfTheSwath/LongApertures
  All/FactorisedColumns.HoldTheErrorThatWasChosenOutToTheEdgesOfTheSwath/Squint
  All/FactorisedColumns.HoldTheErrorThatWasChosenOutToTheEdgesOfTheSwath/SquintValid
  All/FactorisedSpotlights.HoldTheErrorThatWasChosenInEveryColumn/Askew
  All/FactorisedSpotlights.HoldTheErrorThatWasChosenInEveryColumn/Gap
  All/FactorisedSpotlights.HoldTheErrorThatWasChosenInEveryColumn/LostPulses
  All/FactorisedSpotlights.HoldTheErrorThatWasChosenInEveryColumn/Sliding
  All/FactorisedSpotlights.HoldTheErrorThatWasChosenInEveryColumn/Spotlight
  All/FactorisedSpotlights.HoldTheErrorThatWasChosenInEveryColumn/Turned
  All/FactorisedSpotlights.HoldTheErrorThatWasChosenInEveryColumn/TurnedBack
  All/FactorisedSpotlights.HoldTheErrorThatWasChosenInEveryColumn/Windowed
  AzimuthBlocks.SoShortThatLinesAreProcessedOverAndOverAreToldOf
  BatchTest.GoesOnWithinASceneThatIsKept
  BatchTest.ResumesWhatIsNotDoneOrHasChanged
  BatchTest.SeveralDevicesShareTheScenes
  BendingTrack.BlocksFollowASpeedThatChanges
  BendingTrack.FactorsFollowTheSway
  BendingTrack.SwayBesideNearTargetsTakesFinerSamples
  CompareTest.TwoAlgorithmsAgree
  CompareTest.VerifyComparesEveryAlgorithmWithEveryOther
  CphdTest.TakesDamageOrRefusesIt
  DeviceShares.GiveTheSameBitsForAnyNumberOfDevices
  DeviceShares.GoOnWhereAnotherRunStopped
  Devices/AutofocusOfSpotlights.JoinsPulsesOverGaps
  Devices/AutofocusOfSpotlights.LeavesAnImageInFocusAsItIs
  Devices/AutofocusOfSpotlights.LooksAtMapsWithHeights
  Devices/AutofocusOfSpotlights.TakesSmoothErrorsAndRandomWalksOffAndPointsAreWhatTheyWere
  Devices/AutofocusOfStrips.EntropySharpensToo
  Devices/AutofocusOfStrips.FindsNothingInNoise
  Devices/AutofocusOfStrips.PointsAreAsNarrowAsWithoutThePhaseErrorAndWhereTheyWere
  Devices/AzimuthBlocks.GiveTheWholeImageOfLongApertures
  Devices/AzimuthBlocks.GiveTheWholeImageUnderSquint
  Devices/AzimuthBlocks.GiveTheWholeImageWithCouplingInTwoDimensions
  Devices/BackProjection.PassesTheReferenceStage
  Devices/Delay.OfTheInstrumentBringsAllNearer
  Devices/DevicePasses.AzimuthCompressionOfManyColumns
  Devices/FactorisedHills.HoldTheErrorInEveryColumn
  Devices/LinePhase.IsTakenBackByEveryAlgorithm
  Devices/MatrixProduct.OfManyRows
  Devices/PartsOfPulses.AreAddedUpWhereTheLinesOfAllDoNotFit
  Devices/PartsOfPulses.AreProvedWithoutTheLinesOfAll
  Devices/Resume.GivesTheSameBitsWhereverItWasBrokenOff
  Devices/Terrain.TargetsAtAllHeightsLieWhereTheyAre
  DopplerErrors.HoldOnScenesOfAllKinds
  DopplerVerb.AutofocusFindsTheVelocityOfAMeasuredEchoAndLeavesItAtThat
  DopplerVerb.FocusTakesTheVelocityOfTheData
  DopplerVerb.MeasuredEchoesTellTheirAmbiguityAndVelocity
  DopplerVerb.TableJsonAndPictureSayTheSame
  EveryVerb.BenchesFollowTheirSchema
  EveryVerb.ReportsOfFocusFollowTheirSchema
  EveryVerb.VerifiesThePresetsThatAreHard
  ExactPixels.BackProjectionsResponseIsThatOfTheTrueSupport
  FactorKernels.AreAsNearAsSinglePrecisionToTheSameSumInDouble
  FactorisedBackProjection.HoldsTheErrorThatWasChosenInClutterUnderSquint
  Files/ForeignPoints.FocusWithNoOption/nisar_dithered_l0b
  Files/ForeignPoints.FocusWithNoOption/nisar_l0b
  Files/ForeignPoints.FocusWithNoOption/xband
  Files/ForeignPoints.FocusWithNoOption/xband_squint
  FilesTest.AnElevationModelIsKnownByWhatIsInIt
  Flights/MotionCompensationOf.LeavesPointsTrueToEveryAlgorithm/ALittleFaster
  Flights/MotionCompensationOf.LeavesPointsTrueToEveryAlgorithm/Faster
  Flights/MotionCompensationOf.LeavesPointsTrueToEveryAlgorithm/Gusts
  Flights/MotionCompensationOf.LeavesPointsTrueToEveryAlgorithm/Slower
  Flights/MotionCompensationOf.LeavesPointsTrueToEveryAlgorithm/StrongGusts
  FocusOverRanks.AnyNumberMakesTheSameImageOfTheSameBlocks
  GivenReference.BringsTwoFlightsTogether
  ImageComparison.NoiseOfKnownLevelGivesTheCoherenceOfTheory
  IoBenches.StreamFramesOverSeveralDevices
  IoBenches.TimesEveryWayBesidePlainCalls
  MapProgramTest.FocusesAndTellsOfAMap
  MatrixProductBench.EveryVariantOfEveryType
  MotionCompensation.IsProvenByBackProjectionAlongTheTrackAsFlown
  OptionsTest.JsonGoesWhereItIsSentInEveryVerb
  ProgramTest.AutofocusIsToldAndRefusedByName
  ProgramTest.DoesTheWholeJob
  ReferenceStage.SamplesBackProjection
  ReferenceStage.TransformsAlikeInAzimuthBlocks
  ReferenceTrack.RowsLieCloserThanPulsesWhereABeamNeedsIt
  ResumedProgram.GoesOnAfterAKill
  ResumedProgram.GoesOnAfterAnInterruption
  ResumedProgram.GoesOnWithWhatTheDataSay
  ResumedProgram.KeepsItsBlocks
  ResumedProgram.LeavesNothingWhereItWasNotAskedTo
  ResumedProgram.RefusesAnotherRun
  ResumedProgram.StartsAfreshWhereTheFileIsTorn
  SeveralDevices.GoOnWithAnImageThatOneBegan
  SeveralDevices.MakeTheImageOfOneAndTellWhoDidWhat
  SilentEcho.MakesImagesAndReportsOfNumbers
  SilentEcho.ProvesNothing
  SpotlightProgramTest.IsProvedFromTheFileAndFromThePreset
  SpotlightProgramTest.TargetsLieWhereTheTruthSays
  StoppedBatch.EndsCleanlyOnRequest
  StoppedBatch.GoesOnAfterKillsAtAnyMoment
  StoppedBatch.KeepsWhatIsDoneWhenKilledInAScene
  ThreadsTest.AreAsManyAsWasAskedFor
  ThreadsTest.OfEstimatesAreAsManyAsWasAskedFor
  TrackProgramTest.GivesTheSameImageByPositionsDenserOrSparserThanPulses
  TurnFree.FollowsTheGainAtNearRange
  UnfinishedImages.AreGoneOnWithWhereverTheyWereBrokenOff
  UnfinishedImages.AreWholeOnTheDiskAtEachNote
  UniformEchoTest.IsRightByBackprojectionOfThePulsesAsTheyLeft
  VelocityFromData.FocusTakesIt)

set(seen)
foreach(folder kernels pipeline data gdal app mpi threads)
  foreach(test IN LISTS test_${folder}_TESTS)
    string(REGEX REPLACE "/(cpu|cpu_double|cuda)$" "" on_any_device "${test}")
    string(REGEX REPLACE "[.].*$" "" suite "${test}")
    list(APPEND seen "${suite}" "${on_any_device}")
    set(labels ${folder} unit)
    if(folder STREQUAL "mpi" OR (folder STREQUAL "app" AND NOT suite IN_LIST in_process_of_app))
      set(labels ${folder} end-to-end)
    endif()
    if(test MATCHES "/cuda$")
      list(APPEND labels gpu)
    endif()
    if(on_any_device IN_LIST slow)
      list(APPEND labels slow)
      set_tests_properties("${test}" PROPERTIES COST 5)  # so that ctest -j begins with them
    endif()
    if(folder STREQUAL "mpi")
      set_tests_properties("${test}" PROPERTIES COST 6)  # they wait for mpirun, which others need not do at the end
    endif()
    set_tests_properties("${test}" PROPERTIES LABELS "${labels}")
  endforeach()
endforeach()
if(test_kernels_TESTS AND test_pipeline_TESTS AND test_data_TESTS AND test_app_TESTS)  # all were built
  foreach(name IN LISTS in_process_of_app slow)
    if(NOT name IN_LIST seen)
      message(SEND_ERROR "tests/labels.cmake names ${name}, which is no test")
    endif()
  endforeach()
endif()
cmake_policy(POP)

add_rtl_block(eq PARAMS EngineEvents=4)

"""`python -m benchmarks.engine` is `benchmarks.engine.run`."""

import sys

from benchmarks.engine.run import main

sys.exit(main())

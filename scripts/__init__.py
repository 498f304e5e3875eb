"""Entry points: the command line, importers, the demo and the benchmarks. Only `bootstrap` names a concrete adapter."""

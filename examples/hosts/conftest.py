"""Examples whose host is not installed are not imported."""

from importlib.util import find_spec

NEEDS = {
    "ax_node.py": "ax",
    "hydra_plugins/stoic_sweeper.py": "hydra",
    "mlos_optimizer.py": "mlos_core",
    "nevergrad_registry.py": "nevergrad",
}
collect_ignore = [file for file, host in NEEDS.items() if find_spec(host) is None]

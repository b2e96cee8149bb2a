"""What several test modules need is in modules that say what they are: a test module is nobody's library."""

import ast

import pytest

import instance


def imported_tests(source: str) -> set[str]:
    """The test modules that a source imports, or something of."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
            names.update(alias.name for alias in node.names if node.level and not node.module)
    return {name for name in names if any(part.startswith("test_") for part in name.split("."))}


def test_nothing_imports_a_test_module():
    sources = [path for folder in ["Tests", "bench"] for path in sorted((instance.ROOT / folder).rglob("*.py"))]
    assert len(sources) > 200
    found = {str(path.relative_to(instance.ROOT)): imported_tests(path.read_text()) for path in sources}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize("source", [
    "import test_landing", "import test_landing as landing", "from test_landing import RP", "from test_landing import *",
    "from . import test_landing", "from EndToEnd.test_landing import RP", "def late():\n    from test_landing import RP"])
def test_an_import_of_a_test_module_is_found(source):
    assert imported_tests(source)


def test_an_import_of_a_helper_is_none_of_a_test():
    assert not imported_tests("import instance\nfrom landing import RP, test_of_a_name")

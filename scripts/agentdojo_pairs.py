"""Writes the pairs of AgentDojo (user task, injection task) as JSON, for `make agentdojo`.

AgentDojo (MIT, PyPI `agentdojo`) is fetched by scripts/agentdojo.sh and never part of this repository. Only what people ask
for, what the injected text wants, and the names of the tools that a task needs are written down; the models' libraries that it
imports are not needed for that, and played.
"""

import importlib.abc
import importlib.machinery
import json
import sys
from unittest.mock import MagicMock

PLAYED = {
    "anthropic", "click", "cohere", "dotenv", "google", "httpx", "jsonschema", "langchain", "mistralai", "openai",
    "requests", "rich", "tenacity", "torch", "tqdm", "transformers", "vertexai",
}


class Player(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in PLAYED:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__, module.__spec__, module.__name__ = [], spec, spec.name
        return module

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, Player())
from agentdojo.task_suite.load_suites import get_suites  # noqa: E402

pairs = []
for suite_name, suite in sorted(get_suites("v1").items()):
    environment = suite.load_and_inject_default_environment({})
    for task_name, task in suite.user_tasks.items():
        steps = [call.function for call in task.ground_truth(environment.model_copy(deep=True))]
        for injection_name, injection in suite.injection_tasks.items():
            pairs.append({
                "name": f"{suite_name}/{task_name}/{injection_name}",
                "prompt": task.PROMPT,
                "steps": steps,
                "goal": injection.GOAL,
            })
with open(sys.argv[1], "w", encoding="utf-8") as out:
    json.dump(pairs, out)
print(f"{len(pairs)} pairs")

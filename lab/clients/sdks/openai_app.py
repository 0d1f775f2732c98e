"""Lists models and asks one question, with openai's client at its defaults."""

import os

from openai import OpenAI

client = OpenAI(base_url=os.environ["API_URL"] + "/v1", api_key="sk-test")
assert client.models.list().data[0].id == "m"
question = {"role": "user", "content": "Are you there?"}
answer = client.chat.completions.create(model="m", messages=[question])
assert answer.choices[0].message.content == "hello"

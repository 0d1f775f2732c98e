"""Lists models and asks one question, with cohere's client at its defaults."""

import os

import cohere

client = cohere.ClientV2(api_key="test", base_url=os.environ["API_URL"])
assert client.models.list().models[0].name == "m"
question = {"role": "user", "content": "Are you there?"}
answer = client.chat(model="m", messages=[question])
assert answer.message.content[0].text == "hello"

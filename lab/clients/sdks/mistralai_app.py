"""Lists models and asks one question, with mistralai's client. Its retries are enabled, with the
waits of its own default; it has none at its defaults."""

import os

from mistralai.client import Mistral
from mistralai.client.utils import BackoffStrategy, RetryConfig

waits = BackoffStrategy(initial_interval=500, max_interval=60000, exponent=1.5, max_elapsed_time=3600000)
client = Mistral(
    api_key="test",
    server_url=os.environ["API_URL"],
    retry_config=RetryConfig("backoff", waits, retry_connection_errors=True),
)
assert client.models.list().data[0].id == "m"
question = {"role": "user", "content": "Are you there?"}
answer = client.chat.complete(model="m", messages=[question])
assert answer.choices[0].message.content == "hello"

"""Exports a span, with OpenTelemetry's exporter for OTLP over HTTP at its defaults."""

import os

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult

span = TracerProvider().get_tracer("shop").start_span("order")
span.end()
exporter = OTLPSpanExporter(endpoint=os.environ["API_URL"] + "/v1/traces")
assert exporter.export([span]) is SpanExportResult.SUCCESS

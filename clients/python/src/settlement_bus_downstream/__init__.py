"""Receives and verifies the events of the settlement bus."""

from .consumer.async_consumer import AsyncConsumer
from .consumer.consumer import Consumer
from .consumer.frames import Gap, GatewayFault
from .consumer.handlers import Failure
from .consumer.inbox import Refusal
from .consumer.stream import GatewayRefusedError, State
from .event import Event
from .message import MalformedMessageError, Message
from .stores import (
    EventStore,
    FileStore,
    Known,
    MemoryStore,
    ProcessedEvent,
    SqliteStore,
    StoreInUseError,
)
from .trust import InvalidTrustError, Trust
from .verify.message import verify_event, verify_message
from .verify.rejection import Rejected, RejectionReason, Verdict, Verified
from .verify.webhook import RejectedWebhook, Webhook, WebhookVerdict, verify_webhook

__all__ = [
    "AsyncConsumer",
    "Consumer",
    "Event",
    "EventStore",
    "Failure",
    "FileStore",
    "Gap",
    "GatewayFault",
    "GatewayRefusedError",
    "InvalidTrustError",
    "Known",
    "MalformedMessageError",
    "MemoryStore",
    "Message",
    "ProcessedEvent",
    "Refusal",
    "Rejected",
    "RejectedWebhook",
    "RejectionReason",
    "SqliteStore",
    "State",
    "StoreInUseError",
    "Trust",
    "Verdict",
    "Verified",
    "Webhook",
    "WebhookVerdict",
    "verify_event",
    "verify_message",
    "verify_webhook",
]

"""Receives and verifies the events of the settlement bus."""

from .consumer.async_consumer import AsyncConsumer
from .consumer.consumer import Consumer
from .consumer.errors import (
    ChannelRefusedError,
    ConsumerError,
    GatewayRefusedError,
    InvalidOptionError,
    ProcessingFailedError,
    SupersededError,
)
from .consumer.reports import Fault, Gap, Outdated, Refusal, State
from .event import Event
from .evidence.result import ClaimedTime, ConsistentReason, EvidenceKey, EvidenceResult, InvalidReason
from .evidence.verify import verify_evidence
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
from .verify.webhook import RejectedWebhook, RetiredKey, Webhook, WebhookVerdict, verify_webhook

__all__ = [
    "AsyncConsumer",
    "ChannelRefusedError",
    "ClaimedTime",
    "ConsistentReason",
    "Consumer",
    "ConsumerError",
    "Event",
    "EventStore",
    "EvidenceKey",
    "EvidenceResult",
    "Fault",
    "FileStore",
    "Gap",
    "GatewayRefusedError",
    "InvalidOptionError",
    "InvalidReason",
    "InvalidTrustError",
    "Known",
    "MalformedMessageError",
    "MemoryStore",
    "Message",
    "Outdated",
    "ProcessedEvent",
    "ProcessingFailedError",
    "Refusal",
    "Rejected",
    "RejectedWebhook",
    "RejectionReason",
    "RetiredKey",
    "SqliteStore",
    "State",
    "StoreInUseError",
    "SupersededError",
    "Trust",
    "Verdict",
    "Verified",
    "Webhook",
    "WebhookVerdict",
    "verify_event",
    "verify_evidence",
    "verify_message",
    "verify_webhook",
]

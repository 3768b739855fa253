"""Errors after which no retry of a consumer would help. The messages say what to do."""

from __future__ import annotations

# A gateway refuses these whenever they are repeated.
ADVICE = {
    400: "Correct client_id, window or from_.",
    401: "The user or the password of this consumer is wrong. Check both.",
    403: "Ask the operator of the gateway for the right messages.",
    404: "Check url: it is the address of the gateway, without /events.",
}
# Errors of the bus that concern a channel of the request.
CHANNEL_KINDS = ("CHANNEL_NOT_FOUND", "CHANNEL_UNAUTHORIZED")


class ConsumerError(Exception):
    """No retry of the consumer would help."""


class InvalidOptionError(ConsumerError, ValueError):
    """An option has a value that cannot work."""

    def __init__(self, option: str, rule: str) -> None:
        self.option = option
        super().__init__(f"{option} {rule}")


class GatewayRefusedError(ConsumerError):
    """The gateway refuses the connection."""

    def __init__(self, status: int, reason: str) -> None:
        self.status = status
        super().__init__(f"{reason.removesuffix('.')}. {ADVICE[status]}")


class ChannelRefusedError(ConsumerError):
    """A channel does not exist, or the gateway may not read it."""

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        super().__init__(
            f"The bus refuses a channel: {reason} Correct channels, or the channels of the trust file, "
            "or ask the owner of the channel to admit your gateway."
        )


class SupersededError(ConsumerError):
    """Another connection with the same client id replaced this one."""

    def __init__(self, client_id: str | None) -> None:
        self.client_id = client_id
        super().__init__(
            f'Another consumer with the client_id "{client_id}" connected and replaced this one. '
            "Give each consumer a client_id of its own."
        )


class ProcessingFailedError(ConsumerError):
    """A handler or the store failed in every attempt. The message is not acknowledged, so the next run receives it."""

    def __init__(self, message_id: str, attempts: int) -> None:
        self.message_id = message_id
        self.attempts = attempts
        super().__init__(
            f"The message {message_id} could not be processed in {attempts} attempts. Correct the handler or the "
            "store, then run the consumer again: with acknowledged delivery the bus repeats the message."
        )


def concerns_channel(code: str) -> bool:
    """Whether a code such as `BUS::CHANNEL_NOT_FOUND` is about a channel of the request."""
    return code.rpartition("::")[2] in CHANNEL_KINDS

import { JetStreamApiError, JetStreamError, type ApiError } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';

/** What JetStream answers when it has stored a message, or had it already. */
export interface Stored {
  readonly seq: number;
  readonly duplicate: boolean;
}

/** @throws JetStreamApiError with what JetStream refuses it for, JetStreamError for what is no answer of JetStream */
export function readAppendAnswer(message: Msg): Stored {
  const { error, stream, seq, duplicate } = message.json<
    Partial<Stored> & { error?: ApiError; stream?: string }
  >();
  if (error !== undefined) throw new JetStreamApiError(error);
  if (stream === undefined || seq === undefined) throw new JetStreamError('no stream answered');
  return { seq, duplicate: duplicate === true };
}

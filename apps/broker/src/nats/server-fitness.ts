/** This NATS server could not keep what the broker promises, and production does not accept that. */
export class UnsafeNatsError extends Error {
  override readonly name = 'UnsafeNatsError';

  constructor(readonly dangers: readonly string[]) {
    super(`This NATS server is refused in production. ${dangers.join(' ')}`);
  }
}

/** Bytes around the largest payload: topic, sender, signature, correlation id, and the protocol's own. */
const ROOM_BESIDE_PAYLOAD = 65_536;

/** What a server says of itself when it is connected to. */
export interface ServerFacts {
  readonly jetstream?: boolean;
  /** Largest message that it takes, bytes. */
  readonly max_payload: number;
}

/** The dangers in a server's configuration, each a sentence with the remedy; empty when none. */
export function dangersOf({ jetstream, max_payload }: ServerFacts, largestPayload: number): string[] {
  const dangers: string[] = [];
  if (jetstream !== true) dangers.push('It has no JetStream, so it stores nothing; configure jetstream.');
  const needed = largestPayload + ROOM_BESIDE_PAYLOAD;
  if (max_payload < needed) {
    dangers.push(
      `Its max_payload is ${max_payload}, so it refuses the largest messages; set it to ${needed} or more.`,
    );
  }
  return dangers;
}

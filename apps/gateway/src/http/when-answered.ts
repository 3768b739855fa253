import type { ServerResponse } from 'node:http';

export interface RawReply {
  readonly raw: Pick<ServerResponse, 'closed' | 'once' | 'socket'>;
}

/**
 * Tells once whether an answer has left whole: all of it was handed to the operating system. False when its connection ended before that,
 * and already when it has ended while the answer was made.
 */
export function whenAnswered({ raw }: RawReply, tell: (whole: boolean) => void): void {
  if (raw.closed) return tell(false);
  const { socket } = raw;
  let whole = false;
  // Node says `finish`, and `writableFinished`, also when the last write has failed; its connection is destroyed then.
  raw.once('finish', () => (whole = socket?.destroyed === false));
  raw.once('close', () => tell(whole));
}

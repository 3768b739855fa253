import type { ServerResponse } from 'node:http';

export interface RawReply {
  readonly raw: Pick<ServerResponse, 'closed' | 'off' | 'once' | 'req'>;
}

/**
 * Tells once whether an answer has left whole: all of it was handed to the operating system. False when its connection ended before that,
 * and already when it has ended while the answer was made.
 */
export function whenAnswered({ raw }: RawReply, tell: (whole: boolean) => void): void {
  // An answer has no connection while one before it is under way there, nor once it is finished, and does not hear of its end then.
  const { socket } = raw.req;
  if (raw.closed || socket.destroyed) return tell(false);
  let whole = false;
  const settle = (): void => {
    raw.off('close', settle);
    socket.off('close', settle);
    tell(whole);
  };
  // Node says `finish`, and `writableFinished`, also when the last write has failed; its connection is destroyed then.
  raw.once('finish', () => (whole = !socket.destroyed));
  raw.once('close', settle);
  socket.once('close', settle);
}

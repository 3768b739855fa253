import type { ServerResponse } from 'node:http';

/** A reply of Fastify. */
export interface RawReply {
  readonly raw: Pick<ServerResponse, 'closed' | 'off' | 'once' | 'req'>;
}

/** Reports once whether the operating system accepted the whole response; false when the connection ended before that. */
export function watchResponseEnd({ raw }: RawReply, onResponseEnd: (sentCompletely: boolean) => void): void {
  // A pipelined response gets no `close` event before its turn or after its end, so its socket is watched too.
  const { socket } = raw.req;
  if (raw.closed || socket.destroyed) return onResponseEnd(false);
  let sentCompletely = false;
  const onClose = (): void => {
    raw.off('close', onClose);
    socket.off('close', onClose);
    onResponseEnd(sentCompletely);
  };
  // Node emits `finish` also when the last write failed, and destroys the socket only after it.
  raw.once('finish', () => (sentCompletely = !socket.destroyed && !socket.errored));
  raw.once('close', onClose);
  socket.once('close', onClose);
}

import { type RequestListener, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What is done to one request; it ends the response, or the connection, or leaves both as they are. */
export type Trouble = (response: ServerResponse) => void;

/** A server that gives each request its next trouble, and then, the list being at its end, the right answer. */
export interface TroubledServer {
  readonly url: string;
  readonly requests: () => number;
  stop(): Promise<void>;
}

export async function startTroubledServer(
  answer: string,
  troubles: readonly Trouble[],
): Promise<TroubledServer> {
  let requests = 0;
  const listener: RequestListener = (request, response) => {
    request.resume();
    requests += 1;
    const trouble = troubles[requests - 1];
    if (trouble === undefined) response.setHeader('content-type', 'application/json').end(answer);
    else trouble(response);
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

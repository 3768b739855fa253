import { type RequestListener, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Handles one request: ends the response, ends the connection, or does neither. */
export type FaultHandler = (response: ServerResponse) => void;

/** A server that applies one fault to each request, in order, and then sends the correct response. */
export interface FaultyServer {
  readonly url: string;
  readonly requests: () => number;
  stop(): Promise<void>;
}

export async function startFaultyServer(
  body: string,
  faults: readonly FaultHandler[],
): Promise<FaultyServer> {
  let requests = 0;
  const listener: RequestListener = (request, response) => {
    request.resume();
    requests += 1;
    const fault = faults[requests - 1];
    if (fault === undefined) response.setHeader('content-type', 'application/json').end(body);
    else fault(response);
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

import { GatewayStream } from '@ssb/bus';
import { GATEWAY_ADMIN } from '@ssb/tools';
import { running } from './shared-system.js';

/** A client with the client id of the subscriber, which acknowledges every message and reconnects at once. */
export function startOtherClient(onPayload: (payload: string) => void): { stop(): Promise<void> } {
  const { ports, secrets } = running.system.plan;
  let isStopped = false;
  let ended: Promise<void> = Promise.resolve();
  const stream = new GatewayStream({
    url: `http://127.0.0.1:${ports['gateway-subscriber']}`,
    username: GATEWAY_ADMIN,
    password: secrets.gateways.subscriber.adminPassword,
    delivery: { mode: 'acknowledged', clientId: 'subscriber' },
    onMessages: (batch, acknowledge) => {
      for (const { payload } of batch) onPayload(payload);
      acknowledge(batch.map(({ id }) => id));
    },
    onState: ({ state }) => {
      if (state !== 'disconnected' || isStopped) return;
      ended = stream.stop().then(() => stream.start());
    },
    onFault: () => undefined,
  });
  stream.start();
  return {
    stop: async () => {
      isStopped = true;
      await ended;
      await stream.stop();
    },
  };
}

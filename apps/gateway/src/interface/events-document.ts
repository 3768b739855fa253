import { CLOSE_REFUSED, CLOSE_SUPERSEDED, CLOSE_TOO_SLOW, EVENTS_PATH } from '@ssb/bus';
import { MOST_IN_A_FRAME } from '../domain/events-request.js';
import { eventsQuerySchema } from './events-query-schema.js';
import { frameSchemas } from './resources.js';
import { INTERFACE_VERSION } from './rest-document.js';

export interface EventsDocumentOptions {
  /** Sub-protocol that the gateway speaks. */
  readonly protocol: string;
  /** Whether the gateway's port is TLS. */
  readonly secure: boolean;
  readonly port: number;
}

/** AsyncAPI 3.1 of the WebSocket, made of the definitions of its frames. `send` and `receive` are the gateway's own. */
export function eventsDocument({ protocol, secure, port }: EventsDocumentOptions): Record<string, unknown> {
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Message-Bus Client Gateway, WebSocket',
      version: INTERFACE_VERSION,
      description: DESCRIPTION,
    },
    defaultContentType: 'application/json',
    servers: {
      gateway: {
        host: '{host}',
        protocol: secure ? 'wss' : 'ws',
        description: 'The gateway, at the host and port of its REST interface.',
        variables: { host: { description: 'Host and port', default: `127.0.0.1:${port}` } },
        security: [{ $ref: '#/components/securitySchemes/basic' }],
      },
    },
    channels: { events: channel(protocol) },
    operations,
    components: {
      securitySchemes: {
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'User name and password in the upgrade request, as for the REST interface (RFC 7617).',
        },
      },
      messages,
      schemas: frameSchemas(),
    },
  };
}

const DESCRIPTION = [
  'Messages of the bus are pushed to the client, and the client sends messages; every frame is one JSON text.',
  'Clients that give no `clientId` and listen to the same channels share one position, and each of them gets every message, in order, those under way when it joins included; on a new connection to the broker some may come again.',
  'Plain form: a message counts as received once the socket has taken it. Reliable form (`ack=explicit` with a `clientId`): it counts as received when its id was acknowledged; after a reconnection everything from the first message of a channel that was not comes again, also what was acknowledged beyond it. There is no time to acknowledge in: on an open connection nothing comes again but what is unacknowledged when the gateway itself has to connect to its broker anew. No more than `window` messages are unacknowledged.',
  `The gateway pings; a client that gives no sign of life is disconnected. Close codes: 1001 the gateway stops (what waited to be sent is refused first, with BUS::REQUEST_FAILED), ${CLOSE_REFUSED} the rights were revoked, ${CLOSE_TOO_SLOW} the client did not read fast enough, or sent more than the broker took (BUS::TOO_SLOW), ${CLOSE_SUPERSEDED} another connection with the same clientId took over (BUS::SUPERSEDED).`,
].join('\n\n');

function channel(protocol: string): object {
  return {
    address: EVENTS_PATH,
    servers: [{ $ref: '#/servers/gateway' }],
    messages: Object.fromEntries(
      Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
    ),
    bindings: {
      ws: {
        method: 'GET',
        query: eventsQuerySchema,
        headers: {
          type: 'object',
          properties: {
            'Sec-WebSocket-Protocol': {
              type: 'string',
              enum: [protocol],
              description: 'Offering no sub-protocol is taken as well.',
            },
          },
        },
        bindingVersion: '0.1.0',
      },
    },
  };
}

const schema = (name: keyof ReturnType<typeof frameSchemas>): object => ({
  $ref: `#/components/schemas/${name}`,
});

const messages = {
  messages: {
    title: 'One message of the bus, or a list of them',
    payload: { oneOf: [schema('Message'), { type: 'array', items: schema('Message') }] },
  },
  failed: {
    title: 'What the client sent has failed, or the subscription is refused for now',
    summary: 'Without `transactionId` when the frame had none, or when it is about the subscription.',
    payload: schema('Failed'),
  },
  sent: {
    title: 'What the client sent is on the bus',
    summary: 'Only with `replies=all`.',
    payload: schema('Sent'),
  },
  gap: {
    title: 'Messages were removed before the client got them',
    summary:
      'Only with `gaps=tell`; before the messages that follow, again until one of those is acknowledged.',
    payload: schema('Gap'),
  },
  send: {
    title: 'A message to sign and publish, or a list of them',
    payload: {
      oneOf: [
        schema('SendMessage'),
        { type: 'array', items: schema('SendMessage'), maxItems: MOST_IN_A_FRAME },
      ],
    },
  },
  acknowledge: {
    title: 'Messages that the client holds durably',
    summary: 'Only with `ack=explicit`.',
    payload: schema('Acknowledgement'),
  },
} as const;

type MessageName = keyof typeof messages;

function operation(action: 'send' | 'receive', summary: string, names: readonly MessageName[]): object {
  return {
    action,
    channel: { $ref: '#/channels/events' },
    summary,
    messages: names.map((name) => ({ $ref: `#/channels/events/messages/${name}` })),
  };
}

const operations = {
  push: operation('send', 'Messages of the channels that the identity may read', ['messages', 'gap']),
  reply: operation('send', 'Replies to what the client sent, and errors of its subscription', [
    'failed',
    'sent',
  ]),
  publish: operation('receive', 'Messages to publish, in their order', ['send']),
  acknowledge: operation('receive', 'Acknowledgements of the reliable form', ['acknowledge']),
};

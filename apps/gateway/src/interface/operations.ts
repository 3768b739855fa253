import { GAP_HEADER, MORE_HEADER } from '@ssb/bus';
import { LONGEST_CLIENT_ID, NOT_RESERVED, USUAL_CLIENT } from '../domain/client-id.js';
import { LARGEST_AMOUNT } from '../domain/read-query.js';
import type { Operation, Parameter } from './operation.js';

/** The eleven operations of document 002, in its order; errors as its table has them, and docs/interfaces.md where it is silent. */
export const operations: readonly Operation[] = [
  {
    id: 'setIdentity',
    method: 'post',
    path: '/api/v1/config/identity',
    tag: 'config',
    summary: 'Set the private key of the gateway',
    description:
      'Replaces the identity. The enrolment of the one before no longer counts; one that had enrolled earlier is enrolled as the broker has it.',
    body: 'IdentityConfig',
    success: { kind: 'resource', resource: 'Identity' },
    errors: { 400: ['ID::INVALID_PRIVATE_KEY'] },
  },
  {
    id: 'getIdentity',
    method: 'get',
    path: '/api/v1/config/identity',
    tag: 'config',
    summary: 'The public side of the identity',
    success: { kind: 'resource', resource: 'Identity' },
    errors: { 400: ['ID::NO_PRIVATE_KEY'] },
  },
  {
    id: 'enrol',
    method: 'post',
    path: '/api/v1/config/enrol',
    tag: 'config',
    summary: 'Request enrolment as a user of the bus',
    description: 'May be repeated: it asks for what is not approved yet and listens for the approval.',
    success: { kind: 'resource', resource: 'Enrolment' },
    errors: { 400: ['ID::NO_PRIVATE_KEY'], 500: ['ID::FETCH_CLAIMS_FAILED'] },
  },
  {
    id: 'getEnrolment',
    method: 'get',
    path: '/api/v1/config/enrol',
    tag: 'config',
    summary: 'The enrolment as it is now',
    success: { kind: 'resource', resource: 'Enrolment' },
    errors: { 400: ['ID::NO_PRIVATE_KEY'], 500: ['ID::FETCH_CLAIMS_FAILED'] },
  },
  {
    id: 'sendMessage',
    method: 'post',
    path: '/api/v1/message',
    tag: 'message',
    summary: 'Sign a message and publish it on a channel',
    description:
      'A `transactionId` that was used before, within the duplicate window of the broker, gets the id of the first message, and nothing is published again.',
    body: 'SendMessage',
    success: { kind: 'resource', resource: 'SendMessageSuccess' },
    errors: {
      401: ['BUS::CHANNEL_UNAUTHORIZED', 'BUS::LOGIN_FAILED'],
      403: ['BUS::FORBIDDEN_RESOURCE'],
      404: ['BUS::CHANNEL_NOT_FOUND'],
      422: ['BUS::MESSAGE_REJECTED'],
      502: ['BUS::REQUEST_FAILED'],
    },
  },
  {
    id: 'getMessages',
    method: 'get',
    path: '/api/v1/message',
    tag: 'message',
    summary: 'Read messages of a channel',
    description:
      'Without `from`: the oldest that this `clientId` has not had yet on the channel. They count as had once the whole answer has left the gateway; when the client is gone before that, they come again. With `from`: those sent since then, again and again, and nothing counts as had.',
    parameters: messageParameters(),
    success: { kind: 'list', resource: 'Message' },
    headers: {
      [GAP_HEADER]:
        'Messages were removed (retention) before this client had them: `after="…", up-to="…"` (a dictionary of RFC 9651), the ids of the last message before the gap and of the last one in it. Comes with every answer until a later message has been read; never with `from`.',
      [MORE_HEADER]:
        'The answer ended at `amount`, or at 8 MiB of payload, and there are further messages: `?1` (a boolean of RFC 9651); where there are none it is missing. With `from`, read on from the time of the last message; those of its millisecond come again.',
    },
    errors: {
      401: ['BUS::CHANNEL_UNAUTHORIZED', 'BUS::LOGIN_FAILED'],
      403: ['BUS::FORBIDDEN_RESOURCE'],
      404: ['BUS::CHANNEL_NOT_FOUND'],
      502: ['BUS::REQUEST_FAILED'],
    },
  },
  {
    id: 'getChannels',
    method: 'get',
    path: '/api/v1/channels',
    tag: 'channels',
    summary: 'Channels on which the identity has publisher or subscriber rights',
    success: { kind: 'list', resource: 'Channel' },
    errors: { 403: ['BUS::FORBIDDEN'], 502: ['BUS::REQUEST_FAILED'] },
  },
  {
    id: 'getRestSchema',
    method: 'get',
    path: '/api/v1/docs/rest.yaml',
    tag: 'docs',
    summary: 'This file',
    open: true,
    success: { kind: 'yaml' },
    errors: {},
  },
  {
    id: 'getEventsSchema',
    method: 'get',
    path: '/api/v1/docs/ws.yaml',
    tag: 'docs',
    summary: 'The AsyncAPI description of the WebSocket',
    open: true,
    success: { kind: 'yaml' },
    errors: {},
  },
  {
    id: 'getHealth',
    method: 'get',
    path: '/api/health',
    tag: 'health',
    summary: 'Whether the gateway runs and reaches its message broker',
    open: true,
    success: { kind: 'nothing' },
    errors: { 502: ['BUS::REQUEST_FAILED'], 503: ['BUS::UNHEALTHY'] },
  },
  {
    id: 'verifySignature',
    method: 'post',
    path: '/api/v1/verifysignature',
    tag: 'signature',
    summary: 'Compare the signer of a payload with a DID',
    description: 'The status is 200 whether or not they match; a mismatch is an Error with SIG::NO_MATCH.',
    body: 'VerifySignature',
    success: { kind: 'resource-or-error', resource: 'VerifySignatureSuccess', code: 'SIG::NO_MATCH' },
    errors: { 400: ['SIG::CHECK_FAILED'] },
  },
];

function messageParameters(): readonly Parameter[] {
  return [
    {
      name: 'fqcn',
      required: true,
      description: 'Fully qualified channel name.',
      schema: { type: 'string', minLength: 1 },
      example: 'prices.channels.messagebus.apps.bridge.iam.local',
    },
    {
      name: 'amount',
      required: false,
      description: 'How many messages at most.',
      schema: { type: 'integer', minimum: 1, maximum: LARGEST_AMOUNT, default: 100 },
      example: 10,
    },
    {
      name: 'from',
      required: false,
      description: 'ISO 8601 date-time from which to read, to the millisecond; UTC when it names no zone.',
      schema: { type: 'string' },
      example: '2026-03-01T00:00:00Z',
    },
    {
      name: 'clientId',
      required: false,
      description: 'Whose position in the channel is read; each has its own.',
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: LONGEST_CLIENT_ID,
        pattern: NOT_RESERVED,
        default: USUAL_CLIENT,
      },
      example: 'billing',
    },
  ];
}

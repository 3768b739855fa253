import { LARGEST_WINDOW, MOST_NAMED_CHANNELS } from '@ssb/bus';
import { LONGEST_CLIENT_ID, NOT_RESERVED } from '../domain/client-id.js';
import { LONGEST_FQCN } from '../domain/events-query.js';
import type { JsonSchema } from './resources.js';

/** Query of the upgrade request: how the client wants to be served. */
export const eventsQuerySchema: JsonSchema = {
  type: 'object',
  properties: {
    clientId: {
      type: 'string',
      minLength: 1,
      maxLength: LONGEST_CLIENT_ID,
      pattern: NOT_RESERVED,
      description:
        'Whose position in each channel this is; it survives disconnections. The name of those that give none is reserved.',
    },
    ack: {
      type: 'string',
      enum: ['explicit'],
      description: 'Reliable form; needs a clientId.',
    },
    window: {
      type: 'integer',
      minimum: 1,
      maximum: LARGEST_WINDOW,
      description: 'Most unacknowledged messages; of a client that names itself.',
    },
    replies: {
      type: 'string',
      enum: ['all', 'errors'],
      default: 'errors',
      description: 'Whether successful sends are answered too.',
    },
    gaps: {
      type: 'string',
      enum: ['tell'],
      description: 'Tell of messages that were removed before this client got them.',
    },
    fqcn: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: LONGEST_FQCN },
      maxItems: MOST_NAMED_CHANNELS,
      description:
        'Channels to listen to, the parameter once for each; omitted: every channel that the identity may read, also those made later.',
    },
  },
};

import { z } from 'zod';
import { errorDetail } from '../error-body.js';
import { publishSuccess } from './http.js';

/** Most messages of one `POST /messages`: each of the form of `POST /message`, in the order in which they are to be appended. */
export const MOST_MESSAGES_TOGETHER = 128;

/** What became of one of them: what `POST /message` would have answered, the status of a refusal included. */
export const messageOutcome = z.union([
  publishSuccess,
  z.object({ status: z.number().int().min(400).max(599), err: errorDetail }),
]);
export type MessageOutcome = z.infer<typeof messageOutcome>;

/** 200 of `POST /messages`: one outcome for each message, in their order. */
export const messageOutcomes = z.array(messageOutcome);

import { readTextFields, type TextRules } from '@ssb/bus';
import { InvalidRequestError } from '@ssb/platform';
import type { PostedMessage } from '../domain/accept.js';

const MAX_LENGTH = 255;

/** The payload's own limit is the channel's, and answered with 422. */
const RULES: TextRules<PostedMessage> = {
  fqcn: { minLength: 1, maxLength: MAX_LENGTH },
  topic: { isOptional: true, minLength: 1, maxLength: MAX_LENGTH },
  payload: {},
  signature: { minLength: 1, maxLength: MAX_LENGTH },
  correlationId: { isOptional: true, minLength: 1, maxLength: MAX_LENGTH },
};

/** Reads a message of `POST /message` or `POST /messages`. @throws InvalidRequestError */
export function readPostedMessage(value: unknown): PostedMessage {
  const reading = readTextFields(value, RULES);
  if (reading.ok) return reading.value;
  throw new InvalidRequestError(reading.faults);
}

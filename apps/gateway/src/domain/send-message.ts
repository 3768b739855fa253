import { readTextFields, SEND_MESSAGE_RULES, type SendMessage, type TextFieldsReading } from '@ssb/bus';

/** Reads a message that a client wants sent, by REST or in a frame: the one check of it. */
export function readSendMessage(value: unknown): TextFieldsReading<SendMessage> {
  return readTextFields(withoutNulls(value), SEND_MESSAGE_RULES);
}

/** Some clients write null for a field that they leave out; in document 002 no field may be null. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields: [string, unknown][] = Object.entries(value);
  if (fields.every(([, field]) => field !== null)) return value;
  return Object.fromEntries(fields.filter(([, field]) => field !== null));
}

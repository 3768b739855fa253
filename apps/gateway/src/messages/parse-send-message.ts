import { readTextFields, SEND_MESSAGE_RULES, type SendMessage, type TextFieldsResult } from '@ssb/bus';

/** Validates a message to send, from the REST interface or from a WebSocket frame. */
export function parseSendMessage(value: unknown): TextFieldsResult<SendMessage> {
  return readTextFields(dropNullFields(value), SEND_MESSAGE_RULES);
}

/** Some clients send null for an omitted field, which document 002 does not allow. */
function dropNullFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields: [string, unknown][] = Object.entries(value);
  if (fields.every(([, field]) => field !== null)) return value;
  return Object.fromEntries(fields.filter(([, field]) => field !== null));
}

import { z } from 'zod';
import { wellFormedText, type TextRules } from '../text-fields.js';

/** The broker refuses a longer id. */
const MAX_TRANSACTION_ID_LENGTH = 255;

/** Document 002, "SendMessage": an unsigned message that the gateway signs. */
export const sendMessage = z.object({
  fqcn: wellFormedText().min(1).describe('Fully qualified channel name.'),
  topic: wellFormedText().min(1).optional().describe('Topic within the channel; `default` when omitted.'),
  payload: wellFormedText().describe("Message data as text, conforming to the topic's schema."),
  transactionId: wellFormedText()
    .min(1)
    .max(MAX_TRANSACTION_ID_LENGTH)
    .optional()
    .describe(
      'End-to-end identifier, for example a UUID v4; repeating it within the duplicate window of the broker is harmless.',
    ),
});
export type SendMessage = z.infer<typeof sendMessage>;

/** The same rules as `sendMessage`, for `readTextFields`. */
export const SEND_MESSAGE_RULES: TextRules<SendMessage> = {
  fqcn: { minLength: 1 },
  topic: { isOptional: true, minLength: 1 },
  payload: {},
  transactionId: { isOptional: true, minLength: 1, maxLength: MAX_TRANSACTION_ID_LENGTH },
};

/** Document 002, "SendMessageSuccess". */
export const sendMessageSuccess = z.object({
  id: z.string().describe('Message id on the bus.'),
});
export type SendMessageSuccess = z.infer<typeof sendMessageSuccess>;

/** The response of any gateway. Some send the id as a number. */
export const receivedSendMessageSuccess = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
});

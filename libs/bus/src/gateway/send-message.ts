import { z } from 'zod';
import { wellFormedText } from '../well-formed-text.js';

/** Document 002, "SendMessage": an unsigned message; the gateway signs it. */
export const sendMessage = z.object({
  fqcn: wellFormedText().min(1),
  topic: wellFormedText().min(1).optional(),
  /** Message data, conforming to the topic's schema. */
  payload: wellFormedText(),
  /** End-to-end identifier; repeating it is harmless within the broker's duplicate window. */
  transactionId: wellFormedText().min(1).optional(),
});
export type SendMessage = z.infer<typeof sendMessage>;

/** Document 002, "SendMessageSuccess". */
export const sendMessageSuccess = z.object({
  /** Message id on the bus. */
  id: z.string(),
});
export type SendMessageSuccess = z.infer<typeof sendMessageSuccess>;

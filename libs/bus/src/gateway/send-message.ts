import { z } from 'zod';

/** Document 002, "SendMessage": an unsigned message; the gateway signs it. */
export const sendMessage = z.object({
  fqcn: z.string().min(1),
  topic: z.string().min(1).optional(),
  /** Message data, conforming to the topic's schema. */
  payload: z.string(),
  /** End-to-end identifier; repeating it is harmless within the broker's duplicate window. */
  transactionId: z.string().min(1).optional(),
});
export type SendMessage = z.infer<typeof sendMessage>;

/** Document 002, "SendMessageSuccess". */
export const sendMessageSuccess = z.object({
  /** Message id on the bus. */
  id: z.string(),
});
export type SendMessageSuccess = z.infer<typeof sendMessageSuccess>;

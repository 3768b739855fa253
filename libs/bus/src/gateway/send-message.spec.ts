import { readTextFields } from '../text-fields.js';
import { sendMessage, SEND_MESSAGE_RULES } from './send-message.js';

const message = { fqcn: 'a', topic: 't', payload: 'p', transactionId: 'x' };
const VALUES = [undefined, null, 1, {}, '', 'a', 'x'.repeat(255), 'x'.repeat(256), '\ud83d', '🙂'];

describe('the text rules of SendMessage', () => {
  it.each(Object.keys(message))('agree with the published schema for %s', (name) => {
    for (const value of VALUES) {
      const given = { ...message, [name]: value };
      expect([value, readTextFields(given, SEND_MESSAGE_RULES).ok]).toEqual([
        value,
        sendMessage.safeParse(given).success,
      ]);
    }
  });
});

import type { EventDetail } from '../../../api/operations.js';
import { takeSignedMembers } from './signed-members.js';

const detail = { id: 'e1', type: 'other', participant: 'OTHER', subject: 'other', time: 'other', event: {} };

it('shows what the text says, not what the response says besides', () => {
  const event = {
    type: 't',
    participant: 'ALPHA',
    subject: 'ALPHA/prudential',
    time: 'now',
    data: { a: '1' },
  };
  expect(takeSignedMembers({ ...detail, text: JSON.stringify(event) } as EventDetail)).toMatchObject({
    id: 'e1',
    type: 't',
    participant: 'ALPHA',
    subject: 'ALPHA/prudential',
    time: 'now',
    event,
  });
});

it.each(['{', 'null', '"text"', '{"type": 5}'])('%s has none of them', (text) => {
  expect(takeSignedMembers({ ...detail, text } as EventDetail)).toMatchObject({ type: '', subject: '' });
});

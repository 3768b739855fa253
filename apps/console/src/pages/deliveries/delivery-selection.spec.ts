import {
  describeChanged,
  explainRefusal,
  isAllowed,
  keyOf,
  toBodies,
  withoutNamed,
} from './delivery-selection.js';

type Selected = Parameters<typeof toBodies>[1][number];

const delivery = (eventId: string, sink: string, state: Selected['state']): Selected => ({
  eventId,
  sink,
  state,
});

it('sends one request for each sink, with the states that the person saw', () => {
  const selected = [
    delivery('e1', 'treasury', 'parked'),
    delivery('e1', 'desk', 'delivered'),
    delivery('e2', 'treasury', 'withheld'),
    delivery('e3', 'treasury', 'pending'),
  ];
  expect(toBodies('resend', selected, 'Receiver is repaired.')).toEqual([
    {
      sink: 'treasury',
      events: ['e1', 'e2'],
      states: ['parked', 'withheld'],
      comment: 'Receiver is repaired.',
    },
    { sink: 'desk', events: ['e1'], states: ['delivered'], comment: 'Receiver is repaired.' },
  ]);
  expect(toBodies('skip', selected, undefined)).toEqual([
    { sink: 'treasury', events: ['e1', 'e3'], states: ['parked', 'pending'] },
  ]);
});

it('splits what one request cannot name', () => {
  const selected = Array.from({ length: 501 }, (_, index) => delivery(`e${index}`, 'treasury', 'parked'));
  expect(toBodies('resend', selected, undefined).map(({ events = [] }) => events.length)).toEqual([500, 1]);
});

it('leaves what a request does not name', () => {
  const selected = [
    delivery('e1', 'treasury', 'parked'),
    delivery('e1', 'desk', 'delivered'),
    delivery('e2', 'treasury', 'parked'),
  ];
  expect(withoutNamed(selected, { sink: 'treasury', events: ['e1'] }).map(keyOf)).toEqual([
    'e1 desk',
    'e2 treasury',
  ]);
});

it('explains what an action does not apply to', () => {
  expect(isAllowed('resend', { state: 'pending' })).toBe(false);
  expect(isAllowed('skip', { state: 'delivered' })).toBe(false);
  expect(explainRefusal('resend', { state: 'pending' })).toContain('is pending');
  expect(explainRefusal('skip', { state: 'delivered' })).toContain('because it is delivered');
});

it('identifies a delivery by its message and its sink', () => {
  expect(keyOf({ eventId: 'e1', sink: 'treasury' })).toBe('e1 treasury');
});

it.each([
  ['resend', 2, '2 deliveries to treasury pending again.'],
  ['skip', 1, '1 delivery to treasury skipped.'],
  ['skip', 0, 'Nothing was changed: no delivery to treasury is in the state that it was in.'],
] as const)('says what %s has changed', (action, changed, text) => {
  expect(describeChanged(action, 'treasury', { result: { changed } })).toBe(text);
});

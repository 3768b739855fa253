import type { DeliveryRow } from '../../api/operations.js';
import { describeState, isFailing } from './delivery-states.js';

type Facts = Parameters<typeof describeState>[0];

const delivery = (rest: Partial<DeliveryRow>): Facts => ({
  state: 'pending',
  attempts: 0,
  replayed: false,
  ...rest,
});

it.each<[Partial<DeliveryRow>, string, RegExp, boolean]>([
  [{}, 'pending', /waits/, false],
  [{ attempts: 2 }, 'failing', /^2 attempts failed/, true],
  [{ attempts: 1, lastOutcome: 'delivered, status 204' }, 'pending', /waits/, false],
  [{ state: 'parked', attempts: 1 }, 'parked', /every ten minutes/, true],
  [{ state: 'delivered', attempts: 1 }, 'delivered', /accepted/, false],
  [{ state: 'delivered', withheld: 'grouped' }, 'delivered in a digest', /accepted/, false],
  [{ state: 'withheld', withheld: 'silenced' }, 'withheld', /by a silence\.$/, false],
  [{ state: 'withheld', withheld: 'grouped' }, 'in a digest', /in a digest\.$/, false],
  [{ state: 'withheld' }, 'withheld', /by a rule\.$/, false],
  [{ state: 'replaced' }, 'replaced', /newer state/, false],
  [{ state: 'skipped' }, 'skipped', /A person/, false],
])('describes a delivery with %p', (rest, label, explanation, failing) => {
  const text = describeState(delivery(rest));
  expect(text.label).toBe(label);
  expect(text.explanation).toMatch(explanation);
  expect(isFailing(delivery(rest))).toBe(failing);
});

import { selectVariables } from './select-variables.js';

const VARIABLES = [
  { variable: 'ENERGY_PAYMENT', tradingDay: '2026-09-13', pOrC: 'P', gstApplicable: 'Y', value: '9.5' },
  { variable: 'ENERGY_CHARGE', tradingDay: '2026-09-13', pOrC: 'C', gstApplicable: 'Y', value: '-100' },
  { variable: 'MARKET_FEES', tradingDay: '2026-09-14', pOrC: 'C', gstApplicable: 'Y', value: '20.1' },
];

const namesOf = (selection: Parameters<typeof selectVariables>[1]): readonly string[] =>
  selectVariables(VARIABLES, selection).map(({ variable }) => variable);

it('finds variables by a part of the name or of the day', () => {
  expect(namesOf({ text: 'energy', order: 'statement' })).toEqual(['ENERGY_PAYMENT', 'ENERGY_CHARGE']);
  expect(namesOf({ text: '09-14', order: 'statement' })).toEqual(['MARKET_FEES']);
});

it('has the largest amounts first, whatever their sign', () => {
  expect(namesOf({ text: '', order: 'largest' })).toEqual(['ENERGY_CHARGE', 'MARKET_FEES', 'ENERGY_PAYMENT']);
});

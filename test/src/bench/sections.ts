import { budget } from './budget/measure-budget.js';
import { bus } from './bus/measure-bus.js';
import { participants } from './participants/measure-participants.js';
import { pipeline } from './pipeline/measure-pipeline.js';
import { reporting } from './reporting/measure-reporting.js';
import { signatures } from './signatures/measure-signatures.js';
import { store } from './store/measure-store.js';
import { token } from './token/measure-token.js';
import { urgent } from './urgent/measure-urgent.js';
import type { Section } from './section.js';

/** In the order of the report. */
export const SECTIONS: readonly Section[] = [
  pipeline,
  urgent,
  bus,
  reporting,
  store,
  token,
  budget,
  signatures,
  participants,
];

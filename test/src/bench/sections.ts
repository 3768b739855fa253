import { archive } from './archive/measure-archive.js';
import { bus } from './bus/measure-bus.js';
import { consoleSection } from './console/measure-console.js';
import { participants } from './participants/measure-participants.js';
import { pipeline } from './pipeline/measure-pipeline.js';
import { reporting } from './reporting/measure-reporting.js';
import { signatures } from './signatures/measure-signatures.js';
import { urgent } from './urgent/measure-urgent.js';
import type { Section } from './section.js';

/** In the order of the report. */
export const SECTIONS: readonly Section[] = [
  pipeline,
  urgent,
  bus,
  signatures,
  reporting,
  participants,
  archive,
  consoleSection,
];

import { toCents } from '../documents/amount.js';
import { createRandom } from '../documents/random.js';
import type { Breach, Wave } from './scenario.js';

/** The margin at a position of the wave, in cents. It depends on seed, participant and position alone. */
export function marginAt(wave: Wave, position: number, seed: string, participant: string): bigint {
  // A phase in the first quarter makes a simulation begin with a rising margin.
  const phase = Number(createRandom(seed, participant, 'phase').between(0n, BigInt(wave.length) / 4n));
  const swing = Math.sin((2 * Math.PI * ((position + phase) % wave.length)) / wave.length);
  // Rounded to millionths, the sine is the same on every machine.
  const millionths = BigInt(Math.round(swing * 1_000_000));
  const margin = toCents(wave.centre) + (toCents(wave.amplitude) * millionths) / 1_000_000n;
  return margin + noiseAt(wave, position, seed, participant);
}

/** The margin at a position of a breach, in cents; undefined at the positions of the wave. */
export function breachAt(
  { wave, breach }: { wave: Wave; breach?: Breach | undefined },
  position: number,
  seed: string,
  participant: string,
): bigint | undefined {
  if (breach === undefined) return undefined;
  const margin = breach.margins[(position % breach.every) - breach.after];
  return margin === undefined ? undefined : toCents(margin) + noiseAt(wave, position, seed, participant);
}

function noiseAt(wave: Wave, position: number, seed: string, participant: string): bigint {
  const noise = toCents(wave.noise);
  return createRandom(seed, participant, 'noise', position).between(-noise, noise);
}

/** Forecasts for the next days, in cents. The error grows with each day. */
export function forecastsAt(
  wave: Wave,
  { position, perDay, days }: { position: number; perDay: number; days: number },
  seed: string,
  participant: string,
): bigint[] {
  return Array.from({ length: days }, (_, index) => {
    const ahead = index + 1;
    const forecast = position + ahead * perDay;
    const maxError = toCents(wave.noise) * BigInt(ahead);
    const error = createRandom(seed, participant, 'forecast', forecast, ahead).between(-maxError, maxError);
    return marginAt(wave, forecast, seed, participant) + error;
  });
}

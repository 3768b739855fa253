import { CENTS, unitsOf } from '../documents/amount.js';
import { chanceOf } from '../documents/random.js';
import type { Wave } from './scenario.js';

/** The margin at a position of the wave, in cents: the same for the same seed, participant and position. */
export function marginAt(wave: Wave, position: number, seed: string, participant: string): bigint {
  // Between the centre and the crest: a simulation begins with a rising margin.
  const phase = Number(chanceOf(seed, participant, 'phase').between(0n, BigInt(wave.length) / 4n));
  const swing = Math.sin((2 * Math.PI * ((position + phase) % wave.length)) / wave.length);
  // Millionths are exact enough to be the same wherever sine is computed.
  const millionths = BigInt(Math.round(swing * 1_000_000));
  const noise = unitsOf(wave.noise, CENTS);
  return (
    unitsOf(wave.centre, CENTS) +
    (unitsOf(wave.amplitude, CENTS) * millionths) / 1_000_000n +
    chanceOf(seed, participant, 'noise', position).between(-noise, noise)
  );
}

/** Forecasts for the next so many days: the further ahead, the larger their error; cents. */
export function forecastsAt(
  wave: Wave,
  { position, perDay, days }: { position: number; perDay: number; days: number },
  seed: string,
  participant: string,
): bigint[] {
  return Array.from({ length: days }, (_, index) => {
    const ahead = index + 1;
    const forecast = position + ahead * perDay;
    const doubt = unitsOf(wave.noise, CENTS) * BigInt(ahead);
    const error = chanceOf(seed, participant, 'forecast', forecast, ahead).between(-doubt, doubt);
    return marginAt(wave, forecast, seed, participant) + error;
  });
}

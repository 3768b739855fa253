import type { ReactNode } from 'react';

export type Tone = 'good' | 'info' | 'warning' | 'critical' | 'muted';

/** Shapes differ, so that the tone is clear without colour. */
const SHAPES: Readonly<Record<Tone, string>> = {
  good: '●',
  info: '○',
  warning: '▲',
  critical: '■',
  muted: '·',
};

/** A state in one or two words. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={`badge badge-${tone}`}>
      <span aria-hidden="true">{SHAPES[tone]}</span> {children}
    </span>
  );
}

const SEVERITY_TONES = { info: 'info', warning: 'warning', critical: 'critical' } as const;

export function Severity({ value }: { readonly value: 'info' | 'warning' | 'critical' }) {
  return <Badge tone={SEVERITY_TONES[value]}>{value}</Badge>;
}

import type { ReactNode } from 'react';
import type { Tone } from './badge.js';
import './figure.css';

interface FigureProps {
  /** What the figure is about. */
  readonly label: string;
  readonly tone?: Tone;
  /** The figure itself, in a few words. */
  readonly value: ReactNode;
  /** Below the figure: details and links. */
  readonly children?: ReactNode;
}

const SHAPES: Readonly<Partial<Record<Tone, string>>> = { good: '●', warning: '▲', critical: '■' };

/** One figure that matters, in large letters. */
export function Figure({ label, tone = 'muted', value, children }: FigureProps) {
  const shape = SHAPES[tone];
  return (
    <div className={`figure figure-${tone}`}>
      <p className="hint">{label}</p>
      <p className="figure-value">
        {shape && <span aria-hidden="true">{shape} </span>}
        {value}
      </p>
      {children}
    </div>
  );
}

export function Figures({ children }: { readonly children: ReactNode }) {
  return <div className="figures">{children}</div>;
}

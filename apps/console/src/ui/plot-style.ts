const NAMES = [
  'text-muted',
  'line',
  'surface',
  'accent',
  'good',
  'info',
  'warning',
  'critical',
  'line-strong',
] as const;
type ColourName = (typeof NAMES)[number];

/** What a canvas needs of the styles of the page. */
export interface PlotStyle {
  readonly colours: Readonly<Record<ColourName, string>>;
  readonly font: string;
  /** Pixels. */
  readonly fontSize: number;
}

/**
 * The custom properties in force at an element. A canvas does not understand `light-dark()`, so a probe resolves them.
 * @param isPrinted paper is light
 */
export function readPlotStyle(element: HTMLElement, isPrinted: boolean): PlotStyle {
  const probe = element.appendChild(document.createElement('span'));
  if (isPrinted) probe.style.colorScheme = 'light';
  // Otherwise forced colours make all lines the same.
  probe.style.setProperty('forced-color-adjust', 'none');
  const colourOf = (name: ColourName): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(NAMES.map((name) => [name, colourOf(name)])) as PlotStyle['colours'];
  probe.remove();
  const { fontFamily, fontSize } = getComputedStyle(element);
  return { colours, font: `${fontSize} ${fontFamily}`, fontSize: Number.parseFloat(fontSize) };
}

/** Calls the listener when the colours of the system change. @returns ends it */
export function watchColours(listener: () => void): () => void {
  const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((text) => matchMedia(text));
  for (const query of queries) query.addEventListener('change', listener);
  return () => {
    for (const query of queries) query.removeEventListener('change', listener);
  };
}

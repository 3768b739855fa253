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

/** The custom properties in force at an element. A canvas does not understand `light-dark()`, so a probe resolves them. */
export function readPlotStyle(element: HTMLElement): PlotStyle {
  const probe = element.appendChild(document.createElement('span'));
  const colourOf = (name: ColourName): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(NAMES.map((name) => [name, colourOf(name)])) as PlotStyle['colours'];
  probe.remove();
  const { fontFamily, fontSize } = getComputedStyle(element);
  return { colours, font: `${fontSize} ${fontFamily}`, fontSize: Number.parseFloat(fontSize) };
}

/** Calls the listener when the person changes between light and dark. @returns ends it */
export function watchColourScheme(listener: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', listener);
  return () => dark.removeEventListener('change', listener);
}

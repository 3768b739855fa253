import PDFDocument from 'pdfkit';
import { wrapText } from './domain/wrap-text.js';
import { CONTENT_BOTTOM, MARGIN, PAGE_HEIGHT, PAGE_WIDTH, type TextStyle, lineHeight } from './style.js';
import type { Typeface } from './typeface.js';

export interface SheetInfo {
  readonly title: string;
  readonly subject: string;
  /** Stands for the moment of making, so that the same invoice has the same bytes. */
  readonly created: Date;
}

/** The ways in which a piece of the file is told to a reading machine (ISO 32000-1, 14.8.4). */
type Tag = 'H1' | 'H2' | 'P';

const REGULAR = 'regular';
const BOLD = 'bold';

/**
 * A PDF under way: pages, a place on the page, texts that never run over the edge. Everything drawn is either tagged, in the
 * order of reading, or decoration. One element a row rather than one a cell: those would be most of the file.
 */
export class Sheet {
  /** Where the next thing goes, from the top of the page. */
  y = MARGIN;
  readonly #document: PDFKit.PDFDocument;
  readonly #root: PDFKit.PDFStructureElement;
  readonly #chunks: Uint8Array[] = [];

  constructor(typeface: Typeface, { title, subject, created }: SheetInfo) {
    this.#document = new PDFDocument({
      size: [PAGE_WIDTH, PAGE_HEIGHT],
      margin: 0,
      pdfVersion: '1.7',
      tagged: true,
      lang: 'en-AU',
      displayTitle: true,
      bufferPages: true,
      // Without this a standard font is read that is not used.
      font: null as unknown as string,
      info: { Title: title, Subject: subject, Creator: 'Settlement reporting', CreationDate: created },
    });
    this.#document.on('data', (chunk: Uint8Array) => this.#chunks.push(chunk));
    this.#document.registerFont(REGULAR, typeface.regular).registerFont(BOLD, typeface.bold);
    this.#root = this.#document.struct('Document');
    this.#document.addStructure(this.#root);
  }

  /** Goes to the next page when less than `height` is left on this one. Whether it did. */
  makeRoom(height: number): boolean {
    if (this.y + height <= CONTENT_BOTTOM) return false;
    this.#document.addPage();
    this.y = MARGIN;
    return true;
  }

  /** What `draw` writes is one element of the document. */
  tagged(tag: Tag, draw: () => void): void {
    const content = this.#document.markStructureContent(tag);
    draw();
    this.#document.endMarkedContent();
    const element = this.#document.struct(tag);
    element.add(content);
    this.#root.add(element);
    element.end();
  }

  /** What `draw` writes says nothing that does not stand elsewhere. */
  decoration(draw: () => void): void {
    this.#document.markContent('Artifact', { type: 'Layout' });
    draw();
    this.#document.endMarkedContent();
  }

  widthOf(text: string, style: TextStyle): number {
    return this.#in(style).widthOfString(text);
  }

  wrap(text: string, style: TextStyle, width: number): string[] {
    this.#in(style);
    return wrapText(text, width, (piece) => this.#document.widthOfString(piece));
  }

  /** One line with its left edge at `x`. */
  write(text: string, style: TextStyle, x: number, y: number): void {
    if (text !== '') this.#in(style).fillColor(style.color).text(text, x, y, { lineBreak: false });
  }

  /** One line with its right edge at `right`, in smaller letters where `room` is not enough. */
  writeRight(text: string, style: TextStyle, right: number, y: number, room: number): void {
    const width = this.widthOf(text, style);
    const scale = Math.min(1, room / width);
    const drop = style.size * (1 - scale) * 0.9;
    this.write(text, { ...style, size: style.size * scale }, right - width * scale, y + drop);
  }

  /** The style, in smaller letters where the text would be wider than `room`. */
  fitting(text: string, style: TextStyle, room: number): TextStyle {
    const width = this.widthOf(text, style);
    return width <= room ? style : { ...style, size: (style.size * room) / width };
  }

  /** Lines below one another from `y`. */
  writeLines(lines: readonly string[], style: TextStyle, x: number, y: number): void {
    lines.forEach((line, index) => this.write(line, style, x, y + index * lineHeight(style)));
  }

  fill(x: number, y: number, width: number, height: number, color: string): void {
    this.#document.rect(x, y, width, height).fill(color);
  }

  /** Draws something on every page that there is, knowing how many they are. */
  onEveryPage(draw: (page: number, pages: number) => void): void {
    const { count } = this.#document.bufferedPageRange();
    for (let page = 0; page < count; page++) {
      this.#document.switchToPage(page);
      draw(page + 1, count);
    }
  }

  /** The finished file. Nothing can be drawn afterwards. */
  async finish(): Promise<Uint8Array> {
    const ended = new Promise<void>((resolve, reject) => {
      this.#document.once('end', resolve).once('error', reject);
    });
    this.#root.end();
    this.#document.end();
    await ended;
    return Buffer.concat(this.#chunks);
  }

  #in({ bold, size }: TextStyle): PDFKit.PDFDocument {
    return this.#document.font(bold ? BOLD : REGULAR, size);
  }
}

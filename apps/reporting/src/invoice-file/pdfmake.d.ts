/** The part of pdfmake 0.3 that the invoice file uses; the package has no types of its own. */
declare module 'pdfmake' {
  export interface Node {
    text?: string;
    columns?: Node[];
    table?: {
      widths: string[];
      body: Node[][];
      headerRows?: number;
      keepWithHeaderRows?: number;
      dontBreakRows?: boolean;
    };
    layout?: string;
    width?: number;
    colSpan?: number;
    bold?: boolean;
    fontSize?: number;
    alignment?: 'left' | 'right';
    noWrap?: boolean;
    margin?: number[];
  }

  export interface DocumentDefinition {
    content: Node[];
    footer: (page: number, pages: number) => Node;
    defaultStyle: { font: string; fontSize: number };
    pageSize: string;
    pageMargins: number[];
    version: string;
    language: string;
    displayTitle: boolean;
    info: { title: string; subject: string; creator: string; creationDate: Date };
  }

  export interface Pdfmake {
    setFonts(fonts: Record<string, { normal: string; bold: string }>): void;
    setUrlAccessPolicy(allowed: (url: string) => boolean): void;
    setLocalAccessPolicy(allowed: (path: string) => boolean): void;
    createPdf(definition: DocumentDefinition): { getBuffer(): Promise<Buffer> };
  }

  const pdfmake: Pdfmake;
  export default pdfmake;
}

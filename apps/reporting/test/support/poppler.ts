import { spawn } from 'node:child_process';

/** The text of the file in its layout; a form feed ends each page. @throws on a warning about the file */
export function readPdfText(pdf: Uint8Array): Promise<string> {
  return run('pdftotext', ['-layout', '-enc', 'UTF-8', '-', '-'], pdf);
}

/** Runs a program of poppler, a PDF implementation that shares no code with the writer. */
function run(program: string, parameters: readonly string[], input: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters);
    const out: Buffer[] = [];
    const warnings: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => warnings.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const warning = Buffer.concat(warnings).toString();
      if (code === 0 && warning === '') resolve(Buffer.concat(out).toString());
      else reject(new Error(`${program} (${code}): ${warning}`));
    });
    child.stdin.on('error', reject);
    child.stdin.end(input);
  });
}

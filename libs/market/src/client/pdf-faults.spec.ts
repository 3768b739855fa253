import { InvoiceFileError } from './errors.js';
import { findPdfFault } from './pdf-faults.js';

const PDF = '%PDF-1.7\n1 0 obj\nendobj\ntrailer\n%%EOF\n';

it.each([
  ['a PDF', PDF, undefined],
  ['a PDF with a comment after its end', `${PDF}${'%'.repeat(1_000)}`, undefined],
  ['no bytes', '', 'empty'],
  ['half a PDF', PDF.slice(0, 20), 'truncated'],
  ['a PDF whose end is far before its last byte', `${PDF}${' '.repeat(1_024)}`, 'truncated'],
  ['HTML', '\r\n<!DOCTYPE html><html><body>Sign in</body></html>', 'html'],
  ['JSON', '{"data":null}', 'not-pdf'],
  ['a PDF after other bytes', `x${PDF}`, 'not-pdf'],
])('%s', (_, content, fault) => {
  expect(findPdfFault(Buffer.from(content, 'latin1'))).toBe(fault);
});

it('the error of a refused document says why, without the path of a member', () => {
  expect(new InvoiceFileError('operation 8', 'empty', 'no bytes').message).toBe(
    'operation 8 sent a malformed body: no bytes',
  );
});

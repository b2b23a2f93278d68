import type { SimulatedJob } from './simulate-job.ts';

/** The job of section VI: 4,000 images of 10 MB, with service times that give the paper's durations. */
export function paperJob(ocr: number, pdf: number): SimulatedJob {
  const own = (name: string, count: number): string[] =>
    Array.from({ length: count }, (_, number) => `${name}-${number}`);
  return {
    tasks: [
      { id: 'file-reader', instances: 1, serviceS: 0.1, hosts: ['storage'] },
      { id: 'ocr', instances: ocr, serviceS: 4.4, hosts: own('ocr', ocr) },
      { id: 'pdf-creator', instances: pdf, serviceS: 1.12, hosts: own('pdf', pdf) },
      { id: 'inverted-index', instances: 1, serviceS: 0.03, hosts: ['index'] },
      { id: 'pdf-writer', instances: 1, serviceS: 0.02, hosts: ['storage'] },
      { id: 'index-writer', instances: 1, serviceS: 0.1, hosts: ['storage'] },
    ],
    edges: [
      { id: 'reader-ocr', from: 'file-reader', to: 'ocr', capacity: ocr, linkRate: 2.78 },
      { id: 'ocr-pdf', from: 'ocr', to: 'pdf-creator', capacity: 8 },
      { id: 'ocr-index', from: 'ocr', to: 'inverted-index', capacity: 8 },
      { id: 'pdf-writer', from: 'pdf-creator', to: 'pdf-writer', capacity: 8 },
      { id: 'index-writer', from: 'inverted-index', to: 'index-writer', capacity: 8, ratio: 1 / 4000 },
    ],
    records: 4000,
  };
}

import { z } from 'zod';

/** Where something was measured or predicted; bw in percent of the line rate. */
export const coordinates = { nodes: z.number().positive(), scale: z.number(), bw: z.number().positive().max(100) };

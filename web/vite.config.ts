import { defineConfig } from 'vite';
import { slim } from './scripts/slim.ts';

// Relative addresses: the house may live below a path of a larger site.
export default defineConfig({
  base: './',
  resolve: { alias: slim },
  build: {
    outDir: 'dist',
    target: 'es2022',
    // Every file is one that the policy `'self'` admits; nothing is put into the page as data.
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: { output: { entryFileNames: 'assets/[name]-[hash].js' } },
  },
  server: {
    proxy: { '/v1': 'http://127.0.0.1:7777', '/ws': { target: 'ws://127.0.0.1:7777', ws: true } },
  },
});

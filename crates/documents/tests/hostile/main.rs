//! Files that were made to hurt: what they cost is counted, and they end with a sentence or with text, never otherwise.

#![cfg(test)]

mod archives;
mod damage;
mod make;
mod pdfs;
mod weigh;

/** Makes a photo small enough for a model, which sees no more of it than this anyway. Loaded when there is one. */
const LONGEST = 2_576;
const QUALITY = 0.85;
/** Each time it is still too large it gets so much smaller. */
const STEP = 0.7;
const MOST_STEPS = 4;

/** The picture as it stands upright, as JPEG of at most so many bytes; as it was where it cannot be drawn. */
export async function smaller(file: File, most: number): Promise<File> {
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => null);
  if (!picture) return file;
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d');
  let scale = Math.min(1, LONGEST / Math.max(picture.width, picture.height));
  for (let steps = 0; pen && steps < MOST_STEPS; steps += 1, scale *= STEP) {
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    // What is transparent would become black.
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', QUALITY));
    if (made && made.size <= most) {
      picture.close();
      return new File([made], file.name.replace(/(\.\w+)?$/, '.jpg'), { type: 'image/jpeg' });
    }
  }
  picture.close();
  return file;
}

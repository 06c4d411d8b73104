"""How long loops are, as the text of a program tells: headers, values, declared lengths, and guesses."""

-- Small numbers by which people and agents name things: of each kind (noun) a person has 1, 2, 3, …, and none twice.
CREATE TABLE numbers (
    owner TEXT NOT NULL,
    noun TEXT NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (owner, noun)
);
